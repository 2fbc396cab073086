import { createPage } from "./app.ts"

const { textContent } = document.querySelector("#state") ?? {}
createPage(JSON.parse(textContent ?? "")).mount("#app")
