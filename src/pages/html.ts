import { html } from 'ghtml';

/**
 * HTML that may be sent. `${…}` in a template escapes what stands in it; `!${…}` takes markup that was made by this same
 * function, and nothing else.
 */
export { html };

export interface Page {
  /** What the window is called, and the heading that a screen reader reads first. */
  title: string;
  /** Of the practice, above the heading. */
  practice?: string;
  /** Markup made by `html`. */
  content: string;
  /** BCP 47. */
  language?: string;
}

/** The whole document. It loads nothing but the style sheet of this server, and works without a script. */
export const writePage = ({ title, practice, content, language = 'en' }: Page): string => html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${practice ? `${title} · ${practice}` : title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/page.css">
</head>
<body>
<main>
!${practice ? html`<p class="practice">${practice}</p>` : ''}
<h1>${title}</h1>
!${content}
</main>
</body>
</html>
`;
