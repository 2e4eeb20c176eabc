/** A postal code of the United States: five digits, or nine written with a hyphen (`27601-1234`). Null for anything else. */
export function readZip(written: string): string | null {
  const [, zone, rest] = /^(\d{5})(?:[- ]?(\d{4}))?$/.exec(written.trim()) ?? [];
  if (zone === undefined) return null;
  return rest === undefined ? zone : `${zone}-${rest}`;
}
