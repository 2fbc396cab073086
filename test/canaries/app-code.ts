/** Functions of the app by name, such as `callbacks.jwt`. A test makes one of them fail, as code of apps does. */
export interface AppCode {
  /** The function, which fails while its name is that of `failing`. */
  own<Values extends readonly unknown[], Result>(
    name: string,
    work: (...values: Values) => Result,
  ): (...values: Values) => Result
  /** All functions of an object. */
  ownAll<Methods extends object>(name: string, methods: Methods): Methods
  /** Counts calls from now on, and lets the function of this name fail, with an error that quotes what it got. */
  watch(failing: string | null): void
  /** The functions that were called since `watch`. */
  readonly called: ReadonlySet<string>
}

/** Creates the functions of an app. */
export function createAppCode(): AppCode {
  const called = new Set<string>()
  const watched: { isWatching: boolean; failing: string | null } = { isWatching: false, failing: null }

  function own<Values extends readonly unknown[], Result>(name: string, work: (...values: Values) => Result) {
    return (...values: Values): Result => {
      if (watched.isWatching) {
        called.add(name)
        if (watched.failing === name) throw quote(name, values)
      }
      return work(...values)
    }
  }

  return {
    own,
    ownAll(name, methods) {
      const entries = Object.entries(methods).map(([each, method]) => [
        each,
        typeof method === "function"
          ? own(`${name}.${each}`, (...values: unknown[]): unknown => Reflect.apply(method, undefined, values))
          : method,
      ])
      return Object.fromEntries(entries)
    },
    watch(failing) {
      called.clear()
      Object.assign(watched, { isWatching: true, failing })
    },
    called,
  }
}

/** An error as careless code throws it: it quotes what the function got in every place that an error has. */
function quote(name: string, values: readonly unknown[]): Error {
  const texts = [...new Set(listTexts(values, 6))]
  const sentence = `${name} failed with ${texts.join(" | ")}`
  const cause = new Error(`driver: ${sentence}`)
  return Object.assign(new Error(sentence, { cause }), { detail: sentence, parameters: texts, errors: [cause] })
}

function listTexts(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth === 0) return []
  if (value instanceof URL) return [value.href]
  if (value instanceof Headers) return [...value].map(([, text]) => text)
  if (value instanceof URLSearchParams) return [...value.values()]
  if (value instanceof Request) return [value.url, ...listTexts(value.headers, depth - 1)]
  return Object.values(value).flatMap((member) => listTexts(member, depth - 1))
}
