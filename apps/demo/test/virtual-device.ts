import type { Page } from "playwright-core"

/** A device that Chromium makes up for one page: it has passkeys, and a person in front of it. */
export interface VirtualDevice {
  /** How often each of its passkeys was used. */
  counters(): Promise<readonly number[]>
  /** Whether the device recognises the person, by fingerprint or PIN say. */
  recognise(isRecognised: boolean): Promise<void>
  /** Whether the person answers from now on, in the autofill too. A request that was made before keeps waiting. */
  answerAtOnce(isAnswering: boolean): Promise<void>
}

/** Must be called before the page asks for anything. The device is there until the page is closed. */
export async function addVirtualDevice(page: Page): Promise<VirtualDevice> {
  const session = await page.context().newCDPSession(page)
  await session.send("WebAuthn.enable", { enableUI: false })
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    counters: async () => {
      const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId })
      return credentials.map(({ signCount }) => signCount)
    },
    recognise: async (isUserVerified) => {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified })
    },
    answerAtOnce: async (enabled) => {
      await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled })
    },
  }
}
