/** 45 s, 12 min, 5 h, 3 days. @param seconds 0 at least */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 2 * 3_600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** 1 chain, 2 chains. @param many where it is not the word with an s */
export const writeQuantity = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** 640 kB, 1.2 MB, 3.4 GB. @param bytes 0 at least */
export function size(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}
