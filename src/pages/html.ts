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
  /** Address of a style sheet beside that of all pages. */
  style?: string;
  /** Address of the page's script, for pages that cannot do without one. */
  script?: string;
  /** BCP 47. */
  language?: string;
}

/** The whole document. It loads nothing but its style sheets, and its script where it has one, of this server. */
export const writePage = ({ title, practice, content, style, script, language = 'en' }: Page): string => html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${practice ? `${title} · ${practice}` : title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/page.css">
!${style ? html`<link rel="stylesheet" href="${style}">` : ''}
!${script ? html`<script type="module" src="${script}"></script>` : ''}
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
