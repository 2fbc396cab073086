import { vi } from "vitest"

/** A request of the page for a credential. */
export interface CredentialRequest {
  readonly kind: "create" | "get"
  readonly mediation: string | undefined
  /** Resolves the request with a credential. */
  answer(): void
  /** Rejects the request with a `DOMException` of this name. */
  refuse(name: string): void
}

export interface FakeDevice {
  readonly requests: readonly CredentialRequest[]
  /** Waits for the next request. */
  next(): Promise<CredentialRequest>
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

/** Stubs Web Authentication, which happy-dom lacks, and the user who responds. */
export function fakeDevice({ hasAutofill = true }: { readonly hasAutofill?: boolean } = {}): FakeDevice {
  const requests: CredentialRequest[] = []
  let seen = 0
  const request =
    (kind: "create" | "get") =>
    (options: CredentialRequestOptions = {}): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const refuse = (name: string): void => reject(new DOMException("refused", name))
        options.signal?.addEventListener("abort", () => reject(options.signal?.reason))
        requests.push({ kind, mediation: options.mediation, answer: () => resolve(credential), refuse })
      })
  vi.stubGlobal(
    "PublicKeyCredential",
    Object.assign(() => undefined, { isConditionalMediationAvailable: async () => hasAutofill }),
  )
  Object.defineProperty(navigator, "credentials", {
    configurable: true,
    value: { create: request("create"), get: request("get") },
  })
  return {
    requests,
    next: () =>
      vi.waitFor(() => {
        const request = requests[seen]
        if (!request) throw new Error("The device received no request")
        seen += 1
        return request
      }),
  }
}
