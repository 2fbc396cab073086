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

/** Checks that hold after every input: no changed prototypes and no unhandled rejections. */
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
        promise(Reflect.ownKeys(prototype).length === keys, `${name}.prototype is unchanged`)
      }
      const [first] = rejections.splice(0)
      if (first !== undefined) throw new Error("Broken promise: every rejection is handled", { cause: first })
    },
    stop: () => process.off("unhandledRejection", remember),
  }
}

/** Waits until Node has reported unhandled rejections, after the microtasks. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
