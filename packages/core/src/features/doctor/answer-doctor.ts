import { lazy } from "../../runtime/cache.js"
import type { Doctor } from "../../types/config.js"
import type { Feature } from "../feature.js"
import { featureFrame } from "../slots.js"
import { openProbe, probeHeader } from "./probe.js"

/**
 * Answers the probes of `latchkey doctor` at `POST <basePath>/doctor`: the value of `doctor`. A probe is made with the secret of the
 * site, for one minute and one use. Every other request gets the answer of an unknown path.
 * @example
 * doctor: answerDoctor()
 */
export function answerDoctor(): Doctor {
  const load = lazy(() => import("./answer-probe.js"))
  const feature: Doctor & Feature = {
    feature: "doctor",
    frame: featureFrame,
    async answerUnknown(received, service) {
      if (service.mistake !== null) return null
      const { method, url, headers } = received.request
      const { protocol, origin, pathname } = new URL(url)
      // Before anything else is looked at, so that every unknown path takes as long.
      const probe = await openProbe(headers.get(probeHeader), service.contextFor({ protocol }).secrets, origin)
      if (!probe || method !== "POST" || pathname !== `${service.basePath}/doctor`) return null
      const { answerProbe } = await load()
      return answerProbe(probe, received, service)
    },
  }
  return Object.freeze(feature)
}
