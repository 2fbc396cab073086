// Imported as `@latchkey/core/doctor`: lets `latchkey doctor` see what arrives at the app.
export { answerDoctor } from "./answer-doctor.js"
export { createProbe, type Probe, type ProbeAnswer, type ProbeOptions, probeHeader, readProbeAnswer } from "./probe.js"
