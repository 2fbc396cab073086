/** In place of `describeStory` where no developer sees the error page: on workers, and in bundles for production. */
export const describeStory = (): undefined => undefined
