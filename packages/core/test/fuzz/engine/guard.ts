import { promise } from "./target.js"

const prototypes = [
  Object,
  Array,
  Function,
  String,
  Number,
  Boolean,
  Map,
  Set,
  Promise,
  Error,
  Uint8Array,
  URL,
  Date,
].map(({ name, prototype }) => ({ name, prototype, keys: Reflect.ownKeys(prototype).length }))

/** What holds after every input, whatever it was for: no prototype was touched, no promise was left to fail alone. */
export interface Guard {
  assertSound(): Promise<void>
  stop(): void
}

export function startGuard(): Guard {
  const rejections: unknown[] = []
  const remember = (reason: unknown) => rejections.push(reason)
  process.on("unhandledRejection", remember)
  return {
    async assertSound() {
      for (const { name, prototype, keys } of prototypes) {
        promise(Reflect.ownKeys(prototype).length === keys, `nobody changes ${name}.prototype`)
      }
      const [first] = rejections.splice(0)
      if (first !== undefined) throw new Error("Broken promise: every rejection is awaited", { cause: first })
    },
    stop: () => process.off("unhandledRejection", remember),
  }
}

/** Rejections are told once the microtasks are done. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
