// The page of the window. It has no access to Node, to the token or to the network.

/** @typedef {import("../src/ipc.ts").View} View */

/** @type {import("../src/ipc.ts").Ipc} */
const account = Reflect.get(window, "account")

/** @param {string} id */
function find(id) {
  const element = document.getElementById(id)
  if (!element) throw new Error(`The page has no #${id}`)
  return element
}

/** @param {View} view */
function show(view) {
  find("session").textContent = view.user ? `Signed in as ${view.user.name}` : "Not signed in"
  find("devices").replaceChildren(...(view.user ? view.devices.map(toItem) : []))
  find("sign-in").hidden = view.user !== null
  find("sign-out").hidden = view.user === null
  find("message").textContent = view.user ? "" : (view.message ?? "")
}

/** @param {string} device */
function toItem(device) {
  const item = document.createElement("li")
  item.textContent = device
  return item
}

find("sign-in").addEventListener("click", async () => show(await account.signIn()))
find("sign-out").addEventListener("click", async () => show(await account.signOut()))
// Renews the token when the app starts.
account.show().then(show)
