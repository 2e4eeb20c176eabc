const SHARED_RULES = ["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"];

/** Of every page without a script: it loads styles and pictures of this server and sends its forms to this server. */
export const PAGE_POLICY = ["default-src 'none'", "style-src 'self'", "img-src 'self' data:", ...SHARED_RULES].join('; ');

/**
 * Of a page without a script whose form leads on to another address: browsers hold the redirect after a form against this as well.
 * @param target such as `https://app.example.org` or `com.example.app:`
 */
export const leadingOnPolicy = (target: string): string => PAGE_POLICY.replace("form-action 'self'", `form-action 'self' ${target}`);

/**
 * Of pages with a script. The script is loaded from this server and connects to this server and to `origins`.
 * @param origins such as `wss://livekit.example.org`
 */
export const scriptPolicy = (origins: string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    ["connect-src 'self'", ...origins].join(' '),
    ...SHARED_RULES,
  ].join('; ');
