import { html } from 'ghtml';

/**
 * Template tag for HTML. `${…}` escapes its value. `!${…}` inserts its value as it is, so it must only be given markup that this
 * tag has made.
 */
export { html };

export interface Page {
  /** Title of the window, and the main heading. */
  title: string;
  /** Name of the practice, shown above the heading. */
  practice?: string;
  /** Markup made by `html`. */
  content: string;
  /** Address of a further style sheet. */
  style?: string;
  /** Address of the page's script, if it has one. */
  script?: string;
  /** BCP 47. */
  language?: string;
}

/** The whole document. It loads only its style sheets and its script, from this server. */
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
