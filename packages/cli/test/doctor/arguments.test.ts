import { describe, expect, it } from "vitest"
import { type Outcome, runHere } from "../command.js"

const doctor = (...args: readonly string[]): Promise<Outcome> => runHere(["doctor", ...args], { folder: "." })

describe("latchkey doctor", () => {
  it.each([
    ["no source", []],
    ["an unknown code", ["--url", "https://app.example/auth", "--only", "scheme,s3cret"]],
    ["a URL with a password", ["--url", "https://ada:s3cret@app.example/auth"]],
    ["a URL with a user name", ["--url", "https://s3cret@app.example/auth"]],
    ["a relative URL", ["--url", "/s3cret"]],
    ["a URL without a scheme", ["--url", "app.example/s3cret"]],
    ["a file", ["--url", "file:///s3cret"]],
    ["a URL with a query", ["--url", "https://app.example/auth?token=s3cret"]],
    ["a URL with a fragment", ["--url", "https://app.example/auth#s3cret"]],
    ["a DNS server by its name", ["--url", "https://app.example/auth", "--dns-server", "s3cret.example"]],
    ["an unexpected argument", ["https://ada:s3cret@app.example/auth"]],
  ])("DOC-09: refuses %s and repeats nothing of it", async (_, args) => {
    const { code, output, errors } = await doctor(...args)
    expect(code).toBe(2)
    expect(output).toBe("")
    expect(errors).not.toContain("s3cret")
    expect(errors.trim().split("\n")).toHaveLength(1)
  })

  it("explains its options", async () => {
    expect(await doctor("--help")).toMatchObject({ code: 0, errors: "" })
  })
})
