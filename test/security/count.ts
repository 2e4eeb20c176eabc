/** Whether this is the small count of `.ci/run`. */
const IS_SMALL = process.env.SECURITY === 'small';

/** Of a list, all of it, or in the small count one of so many, spread evenly. */
export const partOf = <T>(list: readonly T[], oneOf: number): T[] =>
  IS_SMALL ? list.filter((_, index) => index % oneOf === 0) : [...list];
