// The baseline of a type check, without our packages.
export const response: Promise<Response> = Promise.resolve(new Response())
