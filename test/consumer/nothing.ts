// What a type check costs that meets none of our packages.
export const response: Promise<Response> = Promise.resolve(new Response())
