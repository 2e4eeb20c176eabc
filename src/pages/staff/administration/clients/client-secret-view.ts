import type { PracticeClient } from '../../../../domain/identity/clients/practice-clients.ts';
import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import { copyables } from '../../../design/content/copyable.ts';
import { alert } from '../../../design/feedback/alert.ts';
import { linkButton } from '../../../design/forms/button.ts';
import { html } from '../../../html.ts';
import { timeIn } from '../layout.ts';

interface NewSecret {
  client: PracticeClient;
  secret: string;
  practice: LinkPractice;
  /** Whether it takes the place of another one. */
  isRotated: boolean;
}

/** The new secret of a client, which is shown only once. */
export const secretAlert = ({ client, secret, practice, isRotated }: NewSecret): string =>
  alert({
    kind: 'success',
    title: `The secret of ${client.name}`,
    content: html`
<p>Copy it now to the application’s settings. It is not shown again, and nobody can look it up.!${isRotated ? html` ${formerWords(client, practice)}` : ''}</p>
!${copyables([
      { id: 'client-id', term: 'client_id', text: client.clientId },
      { id: 'client-secret', term: 'client_secret', text: secret },
    ])}
<p>!${linkButton({ href: `/administration/clients/${client.id}`, label: 'I have saved it', kind: 'plain' })}</p>`,
    attributes: { role: 'status' },
  });

function formerWords({ secrets: [, former] }: PracticeClient, practice: LinkPractice): string {
  const end = former?.expiresAt ?? null;
  return end === null || end <= new Date()
    ? 'The former secret has stopped working.'
    : `The former secret works until ${timeIn(end, practice)}.`;
}
