import { APP_SCOPE_WORDS, type AppScope } from '../../../domain/identity/clients/client-scopes.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import { button, linkButton } from '../../design/forms/button.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { renderHiddenFields } from '../sign-in/second-step-view.ts';
import type { Parameters } from './authorization-request.ts';

/** The names on a page about an app and the person who is signed in. */
export interface PersonAndApp {
  practice: LinkPractice;
  person: string;
  app: string;
  /** Address of the request of the app, to which another person comes back after signing in. */
  here: string;
}

interface ConsentView extends PersonAndApp {
  /** The scopes that the app asks for, and the areas of the APIs that each opens. */
  opens: { scope: AppScope; areas: string[] }[];
  /** Whether it asks for a proof of who the person is, which then counts in the app. */
  asksProof: boolean;
  returnsTo: URL;
  parameters: Parameters;
}

/** The question whether an app may act for the person who is signed in. */
export const consentPage = ({ practice, person, app, here, opens, asksProof, returnsTo, parameters }: ConsentView): string =>
  writePage({
    title: `Sign in to ${app}`,
    practice,
    content: html`
<p class="lead"><bdi><strong>${app}</strong></bdi> asks to use the record of your practice as you, <bdi><strong>${person}</strong></bdi>.</p>
<p>Until you sign out of it, it may:</p>
<ul>!${opens.map(scopeItem).join('')}</ul>
!${asksProof ? html`<p>For 15 minutes it may also do what normally requires you to prove again who you are.</p>` : ''}
<p>It never gets access to your password, second factors or sessions. Everything that it does is recorded under your name.</p>
<p>Continue only if you have just opened this app yourself. ${describeReturn(returnsTo)}</p>
<form class="stack" method="post" action="/oauth2/v1/authorize">
!${renderHiddenFields(parameters)}
!${button({ label: 'Continue', wide: true, attributes: { name: 'decision', value: 'continue' } })}
!${button({ label: 'Cancel', kind: 'plain', wide: true, attributes: { name: 'decision', value: 'cancel' } })}
</form>`,
    foot: otherPerson(person, here),
  });

const scopeItem = ({ scope, areas }: ConsentView['opens'][number]): string => html`
<li>${APP_SCOPE_WORDS[scope]}<details><summary>What exactly (<code>${scope}</code>)</summary><p>${areas.join(', ')}</p></details></li>`;

/** The end of a request for somebody whose practice the app is not registered for. @param view.back the address that tells the app */
export const notForPracticePage = ({ practice, person, app, here, back }: PersonAndApp & { back: string }): string =>
  writePage({
    title: `Sign in to ${app}`,
    practice,
    mark: { icon: 'warning', kind: 'warning' },
    content: html`
<p role="alert">You are signed in as <bdi><strong>${person}</strong></bdi>, whose practice does not use <bdi><strong>${app}</strong></bdi>. Sign out to sign in as somebody else, or ask an administrator of your practice.</p>
<p>!${linkButton({ href: back, label: 'Back to the app', wide: true })}</p>`,
    foot: otherPerson(person, here),
  });

const otherPerson = (person: string, here: string): string =>
  html`<form method="post" action="/sign-out">!${renderHiddenFields({ to: here })}<p>Not <bdi>${person}</bdi>? !${button({ label: 'Sign out', kind: 'plain' })}</p></form>`;

function describeReturn({ protocol, hostname }: URL): string {
  if (protocol === 'https:') return `You then return to ${hostname}.`;
  return protocol === 'http:' ? 'You then return to a program on this computer.' : 'You then return to the app on this device.';
}

/** On the way from another site, for browsers that do not follow by themselves. */
export const continuePage = (address: string): string =>
  writePage({
    title: 'Sign in',
    content: html`<p>!${linkButton({ href: address, label: 'Continue', wide: true })}</p>`,
  });
