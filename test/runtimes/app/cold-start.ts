// Prints how long the import, the first session and the first sign-in page take, in milliseconds.
const program: { readonly argv?: readonly string[] } | undefined = Reflect.get(globalThis, "process")
const name = program?.argv?.at(-1) ?? ""

const startedAt = performance.now()
const { Auth } = await import(`${name}`)
const { default: GitHub } = await import(`${name}/providers/github`)
const config = {
  providers: [GitHub({ clientId: "id", clientSecret: "a secret of GitHub" })],
  secret: "a secret that is long enough for this measurement",
  trustHost: true,
  basePath: "/auth",
}
for (const path of ["session", "signin"]) {
  const response: Response = await Auth(new Request(`https://app.test/auth/${path}`), config)
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  await response.text()
}
console.log(performance.now() - startedAt)
