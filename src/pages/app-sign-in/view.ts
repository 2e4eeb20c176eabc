import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import { button, linkButton } from '../design/button.ts';
import { writePage } from '../design/page.ts';
import { html } from '../html.ts';
import type { Parameters } from './authorization-request.ts';

interface ConsentView {
  practice: LinkPractice;
  /** Name of the person who is signed in. */
  person: string;
  /** Name of the app. */
  app: string;
  returnsTo: URL;
  parameters: Parameters;
}

/** The question whether an app may act for the person who is signed in. */
export const consentPage = ({ practice, person, app, returnsTo, parameters }: ConsentView): string =>
  writePage({
    title: `Sign in to ${app}`,
    practice,
    content: html`
<p class="lead"><bdi><strong>${app}</strong></bdi> asks to use the record of your practice as you, <bdi><strong>${person}</strong></bdi>.</p>
<p>It will see what you see and may change what you may change, charts of patients among it, until you sign out of it. All that it does is recorded under your name.</p>
<p>Continue only if you have just opened this app yourself. ${placeOf(returnsTo)}</p>
<form class="stack" method="post" action="/oauth2/v1/authorize">
!${Object.entries(parameters)
      .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
      .join('')}
!${button({ label: 'Continue', wide: true, attributes: { name: 'decision', value: 'continue' } })}
!${button({ label: 'Cancel', kind: 'plain', wide: true, attributes: { name: 'decision', value: 'cancel' } })}
</form>`,
    foot: html`<form method="post" action="/sign-out"><p>Not ${person}? !${button({ label: 'Sign out', kind: 'plain' })}</p></form>`,
  });

function placeOf({ protocol, hostname }: URL): string {
  if (protocol === 'https:') return `You then return to ${hostname}.`;
  return protocol === 'http:' ? 'You then return to a program on this computer.' : 'You then return to the app on this device.';
}

/** On the way from another site, for browsers that do not follow by themselves. */
export const continuePage = (address: string): string =>
  writePage({
    title: 'Sign in',
    content: html`<p>!${linkButton({ href: address, label: 'Continue', wide: true })}</p>`,
  });
