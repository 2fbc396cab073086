// Fails if an option that may be left out refuses undefined, for any exported function. With exactOptionalPropertyTypes, which
// `tsc --init` switches on, `clientId: process.env.X` compiles only if the option takes undefined. Everything that an app can
// pass to an exported function, method or class counts, however deep.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"

/** Types that no app writes as options, and may refuse undefined, with the reason. */
const records = "what a store has, where undefined would leave open what to write"
const ours = "written by the service, and read by apps"
const implemented = "implemented by an adapter, never written as options"
const client = "the part of another library's client that an adapter uses"
const exempt = {
  Account: records,
  AdapterAuthenticator: records,
  AdapterFactor: records,
  AdapterSession: records,
  AdapterUser: records,
  AuthorizationDetails: records,
  DefaultJWT: records,
  DefaultSession: records,
  DefaultUser: records,
  TokenSet: records,
  AuthError: ours,
  ErrorCause: ours,
  EventCallbacks: ours,
  FailureRecord: ours,
  JwtParams: ours,
  RequestRecord: ours,
  SessionCallbackParams: ours,
  SignInParams: ours,
  Adapter: implemented,
  AdapterFeatures: implemented,
  NewSessionOptions: implemented,
  SessionSelection: implemented,
  TokenReplacement: implemented,
  D1Result: client,
  IoredisClient: client,
  NitroConfig: client,
  NodeRedisClient: client,
  PrismaClientLike: client,
  PrefixOptions: "an option of Fastify's own, whose type refuses it",
  EventbriteEmail: "part of a profile",
  KickUser: "part of a profile",
  StandardClaims: "part of profiles",
  Plural: "the texts of a language",
}

/** What a provider says about a person. */
const isProfile = (name) => name.endsWith("Profile")

const root = join(import.meta.dirname, "..", "..")

/** The source file of each entry, by its specifier. */
function findEntries() {
  const entries = new Map()
  for (const folder of globSync("packages/*", { cwd: root })) {
    const manifest = readFileSync(join(root, folder, "package.json"), "utf8")
    const { name, exports } = JSON.parse(manifest)
    for (const [subpath, target] of Object.entries(exports)) {
      const source = target?.["@latchkey/source"] ?? ""
      for (const file of globSync(source, { cwd: join(root, folder), exclude: ["**/*.test.ts"] })) {
        const specifier = `${name}${subpath.slice(1)}`.replace("*", file.replace(/^.*\/|\.tsx?$/g, ""))
        entries.set(specifier, join(root, folder, file))
      }
    }
  }
  return entries
}

function compile(files) {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  return ts.createProgram(files, {
    ...options,
    rootDir: root,
    lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    jsxImportSource: "preact",
    customConditions: ["@latchkey/source"],
    skipLibCheck: true,
    composite: false,
    noEmit: true,
  })
}

/**
 * Finds options that may be left out, and refuse undefined. Directions: `in` is a value that the app writes, `out` one that
 * it receives. The parameters of a function go the other way.
 */
class Search {
  #checker
  #seen = { in: new Set(), out: new Set() }
  /** The path of each option, by its type and name. */
  refusing = new Map()
  /** The types that were exempt. */
  exempted = new Set()

  constructor(checker) {
    this.#checker = checker
  }

  visit(type, direction, path) {
    if (this.#seen[direction].has(type)) return
    this.#seen[direction].add(type)
    if (type.isUnion()) {
      this.#visitAll(type.types, direction, path)
      return
    }
    if ((type.flags & ts.TypeFlags.Instantiable) !== 0) {
      const constraint = this.#checker.getBaseConstraintOfType(type)
      if (constraint) this.visit(constraint, direction, path)
      return
    }
    if ((type.flags & ts.TypeFlags.Object) === 0 && !type.isIntersection()) return
    if (!isOurs(type.symbol)) this.#visitForeign(type, direction, path)
    if (isReference(type) && !isOurs(type.symbol)) return
    this.#visitSignatures(type, direction, path)
    this.#visitProperties(type, direction, path)
  }

  #visitAll(types, direction, path) {
    for (const type of types) this.visit(type, direction, path)
  }

  /** Lists, promises and the types of frameworks, whose functions may take what they are generic over. */
  #visitForeign(type, direction, path) {
    const isFunction = type.getCallSignatures().length > 0
    const own = isReference(type) ? this.#checker.getTypeArguments(type) : []
    this.#visitAll(
      [...own, ...(isFunction ? (type.aliasTypeArguments ?? []) : [])],
      isFunction ? "in" : direction,
      path,
    )
  }

  #visitSignatures(type, direction, path) {
    const back = direction === "in" ? "out" : "in"
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      if (!signature.declaration || !isOurFile(signature.declaration)) continue
      for (const parameter of signature.getParameters()) {
        this.visit(this.#checker.getTypeOfSymbol(parameter), back, `${path}(${parameter.name})`)
      }
      this.visit(signature.getReturnType(), direction, `${path}()`)
    }
  }

  #visitProperties(type, direction, path) {
    for (const property of type.getProperties()) {
      // The members of a mapped type over literals have no declaration.
      if (property.declarations && !isOurs(property)) continue
      const owner = findOwner(property.declarations?.[0]) ?? type.aliasSymbol?.name ?? "a mapped type"
      const value = this.#checker.getTypeOfSymbol(property)
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
      if (direction === "in" && isOptional && !this.#takesUndefined(value)) {
        if (owner in exempt) this.exempted.add(owner)
        else if (!isProfile(owner)) this.refusing.set(`${owner}.${property.name}`, path)
      }
      this.visit(value, direction, `${path}.${property.name}`)
    }
  }

  /** A property that is merely optional has another `undefined` in its type. */
  #takesUndefined(type) {
    if ((type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0) return true
    const none = this.#checker.getUndefinedType()
    return type === none || (type.isUnion() && type.types.includes(none))
  }
}

/** A type with arguments of its own. */
const isReference = (type) => "objectFlags" in type && (Number(type.objectFlags) & ts.ObjectFlags.Reference) !== 0
const isOurFile = (node) => /\/packages\/[^/]+\/(?:src|types)\//.test(node.getSourceFile().fileName)
const isOurs = (symbol) => symbol?.declarations?.some(isOurFile) ?? false

/** The name of the type in whose declaration a member is written. */
function findOwner(member) {
  let node = member
  while (node?.parent && !ts.isSourceFile(node.parent)) node = node.parent
  return node && ts.getNameOfDeclaration(node)?.getText()
}

/** Visits what every entry exports. Returns how many exports it saw. */
function visitExports(search, program) {
  const checker = program.getTypeChecker()
  let count = 0
  for (const [specifier, file] of findEntries()) {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
      if ((symbol.flags & ts.SymbolFlags.Value) === 0 || !isOurs(symbol)) continue
      count += 1
      search.visit(checker.getTypeOfSymbol(symbol), "out", `${specifier} ${exported.name}`)
    }
  }
  return count
}

const program = compile([...findEntries().values()])
const search = new Search(program.getTypeChecker())
const count = visitExports(search, program)
const refusing = [...search.refusing].map(([name, path]) => `${name} refuses undefined (${path})`)
const unused = Object.keys(exempt).filter((name) => !search.exempted.has(name))
const problems = [...refusing, ...unused.map((name) => `${name} need not be exempt`)]
for (const problem of problems) console.error(problem)
console.log(`undefined options: ${count} exports read, ${problems.length} problems`)
process.exit(count > 500 && problems.length === 0 ? 0 : 1)
