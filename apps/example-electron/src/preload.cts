import { contextBridge, ipcRenderer } from "electron"
import type { Ipc } from "./ipc.ts" with { "resolution-mode": "import" }

// Runs in the sandbox, beside the page. The page gets these three functions, and no other way to the main process.
const account: Ipc = {
  show: () => ipcRenderer.invoke("show"),
  signIn: () => ipcRenderer.invoke("signIn"),
  signOut: () => ipcRenderer.invoke("signOut"),
}

contextBridge.exposeInMainWorld("account", account)
