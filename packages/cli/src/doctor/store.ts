import { createFinding, type Examination, type Finding, type FindingCode, type Fix } from "./finding.js"
import { fixOption, type LiveConfiguration } from "./live-configuration.js"

type Method = (...given: readonly unknown[]) => unknown

/** The methods of any adapter: published ones have only those of the contract. */
interface Store {
  find(name: string): Method | null
}

/** Longer than adapters wait for their database themselves. */
const deadlineMs = 15_000

/**
 * Whether the store has what the service needs. Reads, and writes one value that expires within a minute and is taken at once:
 * no user, no session.
 */
export async function checkStore(live: LiveConfiguration): Promise<Examination> {
  const adapter: unknown = live.config?.adapter
  if (adapter === undefined || adapter === null) return { findings: [], unchecked: [] }
  const store: Store = {
    find(name) {
      const method: unknown = Reflect.get(Object(adapter), name)
      return typeof method === "function" ? (...given) => Reflect.apply(method, adapter, given) : null
    },
  }
  const missing = await findMissing(store, live)
  const [first] = missing
  // A store that cannot be reached answers nothing else either.
  if (first?.code === "store-unreachable") return { findings: [first], unchecked: [] }
  const defects = await findDefects(store, live)
  const forgets = missing.length > 0 ? [] : await tryOnce(store, live)
  return { findings: [...missing, ...defects, ...forgets], unchecked: [] }
}

async function inTime<Answer>(work: () => Answer): Promise<Awaited<Answer>> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${deadlineMs / 1000} seconds`)), deadlineMs)
  try {
    return await Promise.race([work(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const migrate: Fix = { where: "database", text: "npx --no latchkey migrate" }

/** Tables and columns that are missing, or what the store throws. */
async function findMissing(store: Store, live: LiveConfiguration): Promise<readonly Finding[]> {
  try {
    const list = store.find("findMissingTables")
    const names: unknown = list ? await inTime(list) : []
    const texts = Array.isArray(names) ? names.map(String) : []
    const isColumn = (name: string) => name.includes(".")
    const [tables, columns] = [texts.filter((name) => !isColumn(name)), texts.filter(isColumn)]
    if (texts.length > 0)
      return [
        ...(tables.length > 0 ? [toMissing("tables", `The database lacks ${tables.join(", ")}.`)] : []),
        ...(columns.length > 0 ? [toMissing("columns", `The database lacks the columns ${columns.join(", ")}.`)] : []),
      ]
    await inTime(() => probe(store, live))
    return []
  } catch (error) {
    return [toStoreFinding(error, live)]
  }
}

function toMissing(code: "tables" | "columns", sentence: string): Finding {
  return createFinding(code, { sentence, fixes: [migrate] })
}

/**
 * Queries every table through the adapter's own check. Without one, queries the tables that the contract's methods read; those of
 * emailed tokens and passkeys may be missing if no provider uses them.
 */
async function probe(store: Store, { config }: LiveConfiguration): Promise<void> {
  const id = `latchkey-doctor-${crypto.randomUUID()}`
  const check = store.find("checkStore")
  if (check) return void (await check(() => {}))
  await store.find("getUserByEmail")?.(`${id}@example.invalid`)
  await store.find("getUserByAccount")?.({ provider: id, providerAccountId: id })
  await store.find("getSessionAndUser")?.(id)
  const types = new Set([...(config?.providers ?? []), ...(config?.mailers ?? [])].map(({ type }) => type))
  // Consumes nothing, because no such token exists.
  if (types.has("email")) await store.find("useVerificationToken")?.({ identifier: `${id}@example.invalid`, token: id })
  if (types.has("webauthn")) await store.find("getAuthenticator")?.(id)
}

const missingColumn = /\bcolumn\b|P2022/i
const missingTable =
  /no such table|(?:relation|table|schema)\b.* (?:does not|doesn't) exist|not migrated|unknown table|P2021/i

/** What the database said: ORMs wrap it in an error of their own, which has the query. */
function readMessage(error: unknown): string {
  const { message, cause }: { readonly message?: unknown; readonly cause?: unknown } = Object(error)
  if (cause instanceof Error && cause.message !== "") return readMessage(cause)
  return String(message ?? error)
    .replace(/\s+/g, " ")
    .trim()
}

function toStoreFinding(error: unknown, live: LiveConfiguration): Finding {
  const message = readMessage(error)
  const sentence = `The store failed: ${message.slice(0, 300).replace(/\.$/, "")}.`
  if (missingColumn.test(message)) return createFinding("columns", { sentence, fixes: [migrate] })
  if (missingTable.test(message)) return createFinding("tables", { sentence, fixes: [migrate] })
  const text = "Check the address and the network of the store, and its user: the password and the rights."
  return createFinding("store-unreachable", { sentence, fixes: [fixOption(live, "adapter", text)] })
}

const kinds: Readonly<Record<string, Pick<Finding, "code" | "severity">>> = {
  index: { code: "indexes", severity: "error" },
  column: { code: "columns", severity: "error" },
  collation: { code: "collation", severity: "warning" },
  eviction: { code: "store-eviction", severity: "error" },
  persistence: { code: "store-persistence", severity: "warning" },
  clock: { code: "store-clock", severity: "error" },
}

/** The defects that the adapter itself reports. Other people's adapters have no such method. */
async function findDefects(store: Store, live: LiveConfiguration): Promise<readonly Finding[]> {
  const find = store.find("findStoreDefects")
  if (!find) return []
  try {
    const defects: unknown = await inTime(find)
    return (Array.isArray(defects) ? defects : []).flatMap((defect: unknown) => {
      const { kind, sentence, statement }: Readonly<Record<string, unknown>> = Object(defect)
      const known = kinds[String(kind)]
      if (!known) return []
      const fixes = [toFix(known.code, statement, live)]
      const guide = isCode(statement) ? { guide: ["Databases", "Key-value stores"] as const } : {}
      return [
        createFinding(known.code, { severity: known.severity, sentence: `${String(sentence)}.`, fixes, ...guide }),
      ]
    })
  } catch (error) {
    return [toStoreFinding(error, live)]
  }
}

/** Whether the statement is one of the app, such as `createStorage({ driver })`, and none of the database. */
const isCode = (statement: unknown): statement is string => /^\w+\(\{/.test(String(statement))

function toFix(code: FindingCode, statement: unknown, live: LiveConfiguration): Fix {
  if (isCode(statement)) return fixOption(live, "adapter", statement)
  if (typeof statement === "string") return { where: "database", text: statement }
  return code === "indexes" || code === "columns"
    ? migrate
    : { where: "database", text: "Change what the sentence names." }
}

const keptMs = 60_000

/** Keeps one value and takes it twice, which has to succeed once. */
async function tryOnce(store: Store, live: LiveConfiguration): Promise<readonly Finding[]> {
  const id = `latchkey-doctor-${crypto.randomUUID()}`
  const expires = new Date(Date.now() + keptMs)
  const [keep, take, consume] = ["keepTemporary", "takeTemporary", "consumeOnce"].map((name) => store.find(name))
  const code: FindingCode = "store-forgets"
  const fixes = [fixOption(live, "adapter", "Let all commands reach one server, and the newest copy of the data.")]
  try {
    if (keep && take) {
      await inTime(() => keep({ id, value: "latchkey-doctor", expires }))
      const taken = [await inTime(() => take(id)), await inTime(() => take(id))]
      if (taken[0] === "latchkey-doctor" && taken[1] === null) return []
      const sentence =
        taken[1] === null ? "A value that was just written is not there." : "A value could be taken twice."
      return [createFinding(code, { sentence, fixes })]
    }
    if (!consume) return []
    const answers = [await inTime(() => consume(id, expires)), await inTime(() => consume(id, expires))]
    if (answers[0] === true && answers[1] === false) return []
    return [createFinding(code, { sentence: "An id that may be used once could be used twice.", fixes })]
  } catch (error) {
    return [toStoreFinding(error, live)]
  }
}
