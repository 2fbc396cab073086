import { readFileSync } from "node:fs"
import { AuthClientError } from "@latchkey/client"
import { describe, expect, it } from "vitest"
import * as face from "../src/index.js"

describe("@latchkey/react", () => {
  it("exports what its guide names", () => {
    const functions = ["configureAuth", "getCsrfToken", "getProviders", "getSession", "signIn", "signOut"]
    expect(Object.keys(face).sort()).toEqual([...functions, "AuthClientError", "SessionProvider", "useSession"].sort())
  })

  it("hands on the very class of the client, since hosts compare it", () => {
    expect(face.AuthClientError).toBe(AuthClientError)
  })

  it("says first of all that it is for the client, as React Server Components want it", () => {
    expect(readFileSync(new URL("../src/index.ts", import.meta.url), "utf8")).toMatch(/^"use client"\n/)
  })
})
