import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { app, BrowserWindow, ipcMain, safeStorage, shell } from "electron"
import { openAccount } from "./account.ts"
import type { Ipc } from "./ipc.ts"

const { AUTH_ISSUER = "http://localhost:3000/auth" } = process.env
const page = join(import.meta.dirname, "..", "window", "index.html")

function openWindow(): void {
  const window = new BrowserWindow({
    width: 480,
    height: 480,
    webPreferences: {
      preload: join(import.meta.dirname, "preload.cjs"),
      contextIsolation: true,
      nodeIntegration: false,
      sandbox: true,
    },
  })
  // The window shows our page only. Links and scripts cannot lead it anywhere else.
  window.webContents.setWindowOpenHandler(() => ({ action: "deny" }))
  window.webContents.on("will-navigate", (event) => event.preventDefault())
  window.loadFile(page)
}

function answerWindow(account: Ipc): void {
  const address = pathToFileURL(page).href
  for (const name of ["show", "signIn", "signOut"] as const) {
    ipcMain.handle(name, ({ senderFrame }) => {
      if (senderFrame?.url !== address) throw new Error("The request is not from our window")
      return account[name]()
    })
  }
}

function start(): void {
  answerWindow(
    openAccount({
      issuer: AUTH_ISSUER,
      openBrowser: shell.openExternal,
      safeStorage,
      tokenFile: join(app.getPath("userData"), "session"),
    }),
  )
  openWindow()
  app.on("activate", () => {
    if (BrowserWindow.getAllWindows().length === 0) openWindow()
  })
}

// Not `await`: Electron becomes ready only after this module has been evaluated.
app.whenReady().then(start)
app.on("window-all-closed", () => {
  if (process.platform !== "darwin") app.quit()
})
