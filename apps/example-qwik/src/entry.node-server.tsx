import { createServer } from "node:http"
import { createQwikCity } from "@builder.io/qwik-city/middleware/node"
import qwikCityPlan from "@qwik-city-plan"
import { manifest } from "@qwik-client-manifest"
import render from "./entry.ssr"

const { PORT = "3000", HOST = "127.0.0.1", AUTH_URL, ORIGIN = AUTH_URL } = process.env

// Qwik City compares the origin of forms with this one; without it, with the Host header.
const origin = ORIGIN ? { origin: new URL(ORIGIN).origin } : {}
const { router, notFound, staticFile } = createQwikCity({ render, qwikCityPlan, manifest, ...origin })

const server = createServer((request, response) => {
  // Qwik City would print this untrusted header on the page.
  delete request.headers["x-forwarded-host"]
  staticFile(request, response, () =>
    router(request, response, () => notFound(request, response, () => response.destroy())),
  )
})
server.listen(Number(PORT), HOST)
