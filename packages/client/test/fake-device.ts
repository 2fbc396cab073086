import { vi } from "vitest"

/** What the page asked the device for. */
export interface AskedCredential {
  readonly kind: "create" | "get"
  readonly mediation: string | undefined
  /** Lets the device answer. */
  answer(): void
  refuse(name: string): void
}

export interface FakeDevice {
  readonly asked: readonly AskedCredential[]
  /** The newest request, once there is one. */
  next(): Promise<AskedCredential>
}

const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer

const response = {
  attestationObject: bytes("attestation"),
  clientDataJSON: bytes("client"),
  authenticatorData: bytes("data"),
  signature: bytes("signature"),
  userHandle: bytes("user"),
  getTransports: () => ["internal"],
}

const credential = {
  id: "aWQ",
  rawId: bytes("id"),
  type: "public-key",
  authenticatorAttachment: "platform",
  response,
  getClientExtensionResults: () => ({}),
}

/** happy-dom has no Web Authentication; this stands for the browser's, and for the person who answers it. */
export function fakeDevice({ hasAutofill = true }: { readonly hasAutofill?: boolean } = {}): FakeDevice {
  const asked: AskedCredential[] = []
  let seen = 0
  const ask =
    (kind: "create" | "get") =>
    (options: CredentialRequestOptions = {}): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const refuse = (name: string): void => reject(new DOMException("refused", name))
        options.signal?.addEventListener("abort", () => reject(options.signal?.reason))
        asked.push({ kind, mediation: options.mediation, answer: () => resolve(credential), refuse })
      })
  vi.stubGlobal(
    "PublicKeyCredential",
    Object.assign(() => undefined, { isConditionalMediationAvailable: async () => hasAutofill }),
  )
  Object.defineProperty(navigator, "credentials", {
    configurable: true,
    value: { create: ask("create"), get: ask("get") },
  })
  return {
    asked,
    next: () =>
      vi.waitFor(() => {
        const request = asked[seen]
        if (!request) throw new Error("The device was not asked")
        seen += 1
        return request
      }),
  }
}
