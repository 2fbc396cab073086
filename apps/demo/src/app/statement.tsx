import type { AuthConfig } from "@latchkey/core"
import { listFactors } from "@latchkey/core/second-factors"
import type { SessionAuth } from "@latchkey/core/types"
import { auth } from "@latchkey/express"
import { Router } from "express"
import { DateTime, renderSitePage } from "../theme/page.js"

interface StatementOptions {
  readonly origin: string
  readonly config: AuthConfig
}

/** A page that asks again who the user is, as a page for bank transfers would. */
export function statementRoutes({ origin, config }: StatementOptions): Router {
  const router = Router()
  router.get("/statement", async (req, res) => {
    const headers = { cookie: req.headers.cookie ?? "" }
    const factors = await listFactors(new Request(origin + req.originalUrl, { headers }), config)
    const options = { maxAgeSeconds: 60, factors: factors?.length ? 2 : 1 } as const
    const session = await auth(req, res, config).requireFresh(options)
    if (session) res.type("html").send(renderStatement(session.auth))
  })
  return router
}

function renderStatement({ time, methods, level }: SessionAuth): string {
  return renderSitePage({
    title: "A page that asks again",
    path: "/statement",
    isSignedIn: true,
    content: (
      <>
        <h1>A page that asks again</h1>
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
          <p>
            <a href="/">Back to the home page</a>
          </p>
        </section>
      </>
    ),
  })
}
