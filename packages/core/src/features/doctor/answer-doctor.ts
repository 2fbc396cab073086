import type { Doctor } from "../../types/config.js"
import type { Feature } from "../feature.js"
import { featureFrame } from "../slots.js"
import { probeHeader } from "./probe.js"

/**
 * Answers the probes of `latchkey doctor` at `POST <basePath>/doctor`: the value of `doctor`. A probe is made with the secret of the
 * site, for one minute and one use. Every other request gets the answer of an unknown path.
 * @example
 * doctor: answerDoctor()
 */
export function answerDoctor(): Doctor {
  const feature: Doctor & Feature = {
    feature: "doctor",
    frame: featureFrame,
    async answerUnknown(received, service) {
      const { method, url, headers } = received.request
      const probe = method === "POST" && service.mistake === null ? headers.get(probeHeader) : null
      if (probe === null || new URL(url).pathname !== `${service.basePath}/doctor`) return null
      const { answerProbe } = await import("./answer-probe.js")
      return answerProbe(probe, received, service)
    },
  }
  return Object.freeze(feature)
}
