import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { openUserStore } from "./user-store.js"

const user = { id: "u-1", name: "Ada", email: "ada@example.com", emailVerified: null }

it("keeps users in a file, which a later start opens again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-users-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, "app.sqlite")
  const first = await openUserStore(file)
  await first.adapter.createUser(user)
  await first.close()
  const second = await openUserStore(file)
  expect(await second.adapter.getUserByEmail(user.email)).toMatchObject(user)
  await second.close()
})

it("rejects the URL of another kind of database, without repeating it", async () => {
  const opening = openUserStore("mongodb://ada:secret@127.0.0.1/app")
  // An error, because a string would be looked for in the message.
  await expect(opening).rejects.toThrow(
    new Error("LATCHKEY_DEMO_DATABASE must be a URL that begins with postgres:// or redis://."),
  )
})

it.each(["postgres://127.0.0.1:1/app", "redis://127.0.0.1:1"])(
  "fails to start if %s cannot be reached",
  async (url) => {
    await expect(openUserStore(url)).rejects.toThrow("LATCHKEY_DEMO_DATABASE cannot be used.")
  },
)
