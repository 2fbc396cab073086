import { describe, expect, it } from "vitest"
import { Discord, type DiscordProfile } from "./discord.js"

describe("Discord's profile callback", () => {
  it.each([
    ["the avatar", { avatar: "a_1" }, "https://cdn.discordapp.com/avatars/80351110224678912/a_1.gif"],
    ["the default one of a user", { avatar: null }, "https://cdn.discordapp.com/embed/avatars/5.png"],
    [
      "that of a legacy user",
      { avatar: null, discriminator: "1337" },
      "https://cdn.discordapp.com/embed/avatars/2.png",
    ],
  ])("sets image_url of the profile to the URL of %s, as in Auth.js", async (_, fields, url) => {
    const profile: DiscordProfile = { id: "80351110224678912", username: "nelly", ...fields }
    const user = await Discord().profile?.(profile, {})
    expect([user?.image, profile.image_url]).toEqual([url, url])
  })
})
