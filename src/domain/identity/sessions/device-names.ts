/** Browsers by the marks of their user agents; one that imitates another comes before it. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*Safari\//, 'Safari'],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
];

const LONGEST_NAME = 60;

/** A device in words, such as `Firefox on Windows` or `Clinic/2.1 on iPhone`; null where its user agent tells nothing. */
export function deviceName(userAgent: string | null): string | null {
  if (userAgent === null || userAgent.trim() === '') return null;
  const find = (known: readonly [RegExp, string][]) => known.find(([mark]) => mark.test(userAgent))?.[1];
  const program = find(BROWSERS) ?? userAgent.split(/[\s(]/, 1)[0]?.slice(0, LONGEST_NAME);
  const system = find(SYSTEMS);
  if (!program || program.startsWith('Mozilla/')) return system ?? null;
  return system === undefined ? program : `${program} on ${system}`;
}
