import type { AuthConfig } from "@latchkey/core"
import {
  beginTotp,
  confirmTotp,
  type FactorView,
  listFactors,
  removeFactor,
  type TotpSetup,
} from "@latchkey/core/second-factors"
import type { SessionAuth } from "@latchkey/core/types"
import { AuthError, requireFresh } from "@latchkey/express"
import { type Request, type Response, Router } from "express"
import type { VNode } from "preact"
import { DateTime, renderSitePage } from "../theme/page.js"
import { readField } from "../web/middleware.js"

/** The page of the sign-in service that asks again who the user is. */
export const confirmUrl = "/auth/confirm?callbackUrl=%2Faccount"

const names = { totp: "Authenticator app", recovery: "Recovery codes" } as const

/** Lists the user's second factors, with forms to set one up and to remove it. */
export function SecondStepSection({ factors }: { readonly factors: readonly FactorView[] }): VNode {
  return (
    <section class="card" aria-labelledby="second-step">
      <h2 id="second-step">Second step</h2>
      <p class="quiet">
        A code from your phone, besides a password, an email or Demo ID. A passkey needs no second step: it is both.
      </p>
      {factors.length > 0 && (
        <ul class="list">
          {factors.map((factor) => (
            <FactorItem key={factor.id} factor={factor} />
          ))}
        </ul>
      )}
      <p>
        {factors.length === 0 && (
          <a class="button" href="/account/second-step">
            Set up an authenticator app
          </a>
        )}{" "}
        <a href="/account/statement">A page that asks again who you are</a>
      </p>
    </section>
  )
}

function FactorItem({ factor }: { readonly factor: FactorView }): VNode {
  const { id, kind, codesLeft, createdAt, lastUsedAt } = factor
  return (
    <li>
      <span>
        {names[kind]}{" "}
        <span class="quiet small">
          {codesLeft === null ? (
            <>
              since <DateTime date={createdAt} />
              {lastUsedAt && (
                <>
                  , last used <DateTime date={lastUsedAt} />
                </>
              )}
            </>
          ) : (
            `${codesLeft} left`
          )}
        </span>
      </span>
      {kind === "totp" && (
        <form method="post" action="/account/second-step/remove">
          <input type="hidden" name="id" value={id} />
          <button type="submit" class="button" aria-label="Remove the authenticator app">
            Remove
          </button>
        </form>
      )}
    </li>
  )
}

/** The second factors of the user who sent the request. */
export async function findFactors(
  request: Request,
  origin: string,
  config: AuthConfig,
): Promise<readonly FactorView[]> {
  return (await listFactors(toWebRequest(request, origin), config)) ?? []
}

interface SecondStepOptions {
  readonly origin: string
  readonly config: AuthConfig
}

/** The pages below `/account`. */
export function secondStepPages({ origin, config }: SecondStepOptions): Router {
  const router = Router()
  router.get("/second-step", async (request, response) => {
    const setup = await beginTotp(toWebRequest(request, origin), config).catch(toNullIfStale)
    if (setup) showSetup(setup, response)
    else response.redirect(303, confirmUrl)
  })
  router.get("/statement", async (request, response) => {
    const hasSecondStep = (await findFactors(request, origin, config)).length > 0
    const options = { maxAgeSeconds: 60, factors: hasSecondStep ? 2 : 1 } as const
    const session = await requireFresh({ req: request, res: response, config }, options)
    if (session) showStatement(session.auth, response)
  })
  return router
}

/** The forms below `/account`. Their bodies are parsed, and they are from the app's own pages. */
export function secondStepForms({ origin, config }: SecondStepOptions): Router {
  const router = Router()
  router.post("/second-step", async (request, response) => {
    const form = { ticket: readField(request, "ticket"), code: readField(request, "code") }
    try {
      const confirmed = await confirmTotp(toWebRequest(request, origin), config, form)
      if (confirmed) showRecoveryCodes(confirmed.recoveryCodes ?? [], response)
      else response.redirect(303, confirmUrl)
    } catch (error) {
      if (!(error instanceof AuthError && error.type === "SecondFactorWrong")) throw error
      response.redirect(303, "/account?done=code-wrong")
    }
  })
  router.post("/second-step/remove", async (request, response) => {
    const id = readField(request, "id")
    const isRemoved = await removeFactor(toWebRequest(request, origin), config, id).catch(toNullIfStale)
    if (isRemoved === null) response.redirect(303, confirmUrl)
    else response.redirect(303, `/account?done=${isRemoved ? "step-removed" : "kept"}`)
  })
  return router
}

/** A thief of the cookie must not end the owner's other sessions, nor change the second step. */
export function toNullIfStale(error: unknown): null {
  if (error instanceof AuthError && error.type === "FreshnessRequired") return null
  throw error
}

function showSetup({ ticket, qr, secret }: TotpSetup, response: Response): void {
  const image = qr === null ? "" : `data:image/svg+xml,${encodeURIComponent(qr)}`
  showPage(
    response,
    "Set up an authenticator app",
    <section class="card" aria-label="Setup">
      <p>Scan this with an authenticator app, and enter the code that it shows.</p>
      {qr !== null && <img src={image} alt="QR code for your authenticator app" width={200} height={200} />}
      <p class="quiet small">
        Cannot scan it? Enter this key in the app: <code>{secret.replace(/(.{4})(?=.)/g, "$1 ")}</code>
      </p>
      <form method="post" action="/account/second-step" class="fields">
        <input type="hidden" name="ticket" value={ticket} />
        <label>
          Code from the app
          <input type="text" name="code" inputMode="numeric" autoComplete="one-time-code" required maxLength={16} />
        </label>
        <button type="submit" class="button main full">
          Turn on
        </button>
      </form>
    </section>,
  )
}

function showRecoveryCodes(codes: readonly string[], response: Response): void {
  showPage(
    response,
    "Save your recovery codes",
    <section class="card" aria-label="Recovery codes">
      <p>Each of them signs you in once, if you lose your phone. They are not shown again.</p>
      <ul class="list">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <a href="/account">Back to your account</a>
    </section>,
  )
}

function showStatement({ time, methods, level }: SessionAuth, response: Response): void {
  showPage(
    response,
    "A page that asks again",
    <section class="card" aria-labelledby="proved">
      <h2 id="proved">What you proved</h2>
      <p class="quiet">This page asks again after one minute, and for both steps if you have two.</p>
      <dl class="facts">
        <dt>Time</dt>
        <dd>
          <DateTime date={new Date(time * 1000)} />
        </dd>
        <dt>Methods</dt>
        <dd>{methods.join(", ")}</dd>
        <dt>Level</dt>
        <dd>{level}</dd>
      </dl>
      <a href="/account">Back to your account</a>
    </section>,
  )
}

function showPage(response: Response, title: string, content: VNode): void {
  const page = { title, path: "/account", isSignedIn: true }
  const children = (
    <>
      <h1>{title}</h1>
      {content}
    </>
  )
  response.type("html").send(renderSitePage({ ...page, content: children }))
}

function toWebRequest(request: Request, origin: string): globalThis.Request {
  const headers = new Headers({ cookie: request.headers.cookie ?? "" })
  return new globalThis.Request(`${origin}${request.originalUrl}`, { headers })
}
