/** The days, such as 2027-03-01, since which an operation is deprecated and after which it may be gone. */
export interface Deprecation {
  since: string;
  sunset: string;
}

/** The headers of every answer of a deprecated operation (RFC 9745, RFC 8594). */
export const deprecationHeaders = ({ since, sunset }: Deprecation): Record<string, string> => ({
  deprecation: `@${Date.parse(since) / 1000}`,
  sunset: new Date(sunset).toUTCString(),
  link: '</docs/versions>; rel="deprecation"; type="text/html"',
});
