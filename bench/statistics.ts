export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

/** Interpolates linearly between two numbers. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** The difference of the highest and the lowest as a fraction of the median. */
export const spread = (numbers: readonly number[]): number => (Math.max(...numbers) - Math.min(...numbers)) / median(numbers);

export const percent = (share: number): string => `${Math.round(share * 100)} %`;
