import { UnstorageAdapter } from "@auth/unstorage-adapter"
import type { Storage } from "unstorage"
import type { TheirStore } from "./their-store.js"

/** `@auth/unstorage-adapter` with a given storage. */
export function openUnstorageStore(storage: Storage): TheirStore {
  return { adapter: UnstorageAdapter(storage), empty: () => storage.clear(), close: () => storage.dispose() }
}
