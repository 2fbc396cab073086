import { UnstorageAdapter } from "@auth/unstorage-adapter"
import type { Storage } from "unstorage"
import type { TheirStore } from "./their-store.js"

/** `@auth/unstorage-adapter` over a storage of the host. */
export function openUnstorageStore(storage: Storage): TheirStore {
  return { adapter: UnstorageAdapter(storage), empty: () => storage.clear(), close: () => storage.dispose() }
}
