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

/** Properties of every input: prototypes stay unchanged, and rejections are handled. */
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
        promise(Reflect.ownKeys(prototype).length === keys, `${name}.prototype stays unchanged`)
      }
      const [first] = rejections.splice(0)
      if (first !== undefined) throw new Error("Property violated: every rejection is handled", { cause: first })
    },
    stop: () => process.off("unhandledRejection", remember),
  }
}

/** Waits until Node has reported unhandled rejections, which happens after the microtasks. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
