import type { PracticeClient } from '../../domain/identity/practice-clients.ts';
import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import { alert } from '../design/alert.ts';
import { button, linkButton } from '../design/button.ts';
import { html } from '../html.ts';
import { timeIn } from './layout.ts';

/** Address of the script of the buttons that copy. */
export const COPY_SCRIPT = '/assets/client/copy.ts';

interface NewSecret {
  client: PracticeClient;
  secret: string;
  practice: LinkPractice;
  /** Whether it takes the place of another one. */
  isRotated: boolean;
}

/** The new secret of a client, which is shown this once. */
export const secretAlert = ({ client, secret, practice, isRotated }: NewSecret): string =>
  alert({
    kind: 'success',
    title: `The secret of ${client.name}`,
    content: html`
<p>Copy it now to where the application keeps it: it will not be shown again, and nobody can look it up.!${isRotated ? html` ${formerWords(client, practice)}` : ''}</p>
<dl class="secrets">
<dt>client_id</dt><dd>!${copyable('client-id', client.clientId, 'Copy the client_id')}</dd>
<dt>client_secret</dt><dd>!${copyable('client-secret', secret, 'Copy the secret')}</dd>
</dl>
<p>!${linkButton({ href: `/administration/clients/${client.id}`, label: 'I have kept it', kind: 'plain' })}</p>`,
    attributes: { role: 'status' },
  });

function formerWords({ secrets: [, former] }: PracticeClient, practice: LinkPractice): string {
  const end = former?.expiresAt ?? null;
  return end === null || end <= new Date()
    ? 'The former secret has stopped working.'
    : `The former secret works until ${timeIn(end, practice)}.`;
}

/** A text with a button that copies it. The button is shown by the script. */
const copyable = (id: string, text: string, label: string): string =>
  html`<span class="row"><code id="${id}">${text}</code>!${button({ label, kind: 'plain', type: 'button', attributes: { 'data-copy': id, hidden: true } })}</span>`;
