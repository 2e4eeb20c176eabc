import type { FastifyInstance } from 'fastify';
import { PAGE_POLICY } from '../content-security-policy.ts';
import { html } from '../html.ts';
import { card } from './content/card.ts';
import { copyables } from './content/copyable.ts';
import { list } from './content/list.ts';
import { alert } from './feedback/alert.ts';
import { badge } from './feedback/badge.ts';
import { closeButton, dialog } from './feedback/dialog.ts';
import { emptyState } from './feedback/empty-state.ts';
import { progress } from './feedback/progress.ts';
import { button, linkButton } from './forms/button.ts';
import { confirmedButton } from './forms/confirmed-button.ts';
import { choiceField, selectField, textArea, textField } from './forms/field.ts';
import type { PracticeHeader } from './layout/header.ts';
import { writePage } from './layout/page.ts';
import { emergencyCall, practiceContact } from './layout/practice-contact.ts';

const PRACTICE: PracticeHeader = {
  id: 1,
  name: 'Hudson Family Practice',
  phone: '+19105550123',
  look: { colour: null, logo: null },
};

/** `/design`: all components on one page, for who draws another. Not in production. */
export function showcase(app: FastifyInstance): void {
  app.get('/design', async (_request, reply) =>
    reply
      .headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      .type('text/html; charset=utf-8')
      .send(
        writePage({
          title: 'Components',
          practice: PRACTICE,
          layout: 'wide',
          content: html`<div class="grid">!${[type(), buttons(), alerts(), fields(), choices(), lists(), states(), dialogs()].join('')}</div>`,
          foot: html`!${practiceContact(PRACTICE, 'en')}!${practiceContact(null, 'en')}<p>!${emergencyCall('en')}</p>`,
        }),
      ),
  );
}

const type = () =>
  card({
    title: 'Text',
    content: html`<p class="lead">A lead says what the page is for.</p><p>Text is large enough to be read at arm's length. <a href="#">A link</a> is underlined.</p>
<p class="hint">A hint is quiet.</p>`,
    foot: html`<p>The foot of a card says until when, and who answers questions.</p>`,
  });

const buttons = () =>
  card({
    title: 'Buttons',
    content: html`<div class="row">!${button({ label: 'Send' })}!${button({ label: 'Later', kind: 'plain' })}!${button({ label: 'Remove', kind: 'danger' })}</div>
<div class="row">!${button({ label: 'Not now', attributes: { disabled: true } })}!${linkButton({ label: 'Call', href: 'tel:+19105550123', icon: 'phone', kind: 'plain' })}</div>
!${button({ label: 'As wide as its column', wide: true, icon: 'check' })}`,
  });

const alerts = () =>
  card({
    title: 'Alerts and badges',
    content: html`
!${alert({ kind: 'info', content: html`<p>Your visit begins in ten minutes.</p>` })}
!${alert({ kind: 'success', content: html`<p>Your answers have arrived.</p>` })}
!${alert({ kind: 'warning', content: html`<p>The line is slow.</p>` })}
!${alert({ kind: 'danger', title: 'Please look at one answer again', content: html`<ul><li><a href="#shown-error">Code</a>: has six digits.</li></ul>` })}
<p class="row">!${badge('Waiting')}!${badge('New', 'accent')}!${badge('Ready', 'success')}!${badge('Late', 'warning')}!${badge('Failed', 'danger')}</p>`,
  });

const fields = () =>
  card({
    title: 'Fields',
    content: html`
!${textField({ name: 'shown-name', label: 'Your name', hint: 'As it is on your card.', required: true, attributes: { autocomplete: 'off' } })}
!${textField({ name: 'shown-error', label: 'Code', value: '12a', error: 'A code has six digits.', inputClass: 'code-input' })}
!${selectField({ name: 'shown-office', label: 'Office', options: html`<option>Main Street</option><option>Harbor</option>` })}
!${textArea({ name: 'shown-note', label: 'Anything else?', optional: '(optional)', rows: 3 })}`,
  });

const choices = () =>
  card({
    title: 'Choices',
    content: html`
!${choiceField({ name: 'shown-slept', label: 'Did you sleep well?', value: 'yes', choices: ['yes', 'no'].map((value) => ({ value, label: value === 'yes' ? 'Yes' : 'No' })) })}
!${choiceField({ name: 'shown-pain', label: 'How much pain?', hint: '0 means: none.', scale: true, choices: [...'012345'].map((value) => ({ value, label: value })) })}`,
  });

const lists = () =>
  card({
    title: 'List',
    content: list([
      { title: 'Plan of care.pdf', href: '#', detail: 'PDF document, 64 kB', icon: 'file' },
      { title: 'Rosa Diaz', detail: 'Waiting since 10:04', end: badge('Ready', 'success') },
      { title: 'Ada Quinn', detail: 'Waiting since 10:09', end: button({ label: 'Admit', kind: 'plain', type: 'button' }) },
    ]),
  });

const states = () =>
  card({
    title: 'Nothing yet, and how far',
    content: html`
!${emptyState({ icon: 'people', title: 'No one is waiting', text: 'People appear here as soon as they arrive.' })}
!${progress({ id: 'shown-progress', label: 'Sending the picture', value: 62, text: '62 %' })}
!${progress({ id: 'shown-waiting', label: 'Connecting' })}`,
  });

const dialogs = () =>
  card({
    title: 'Dialogs, and a text to copy',
    content: html`<p>!${button({ label: 'End for everyone', kind: 'danger', type: 'button', attributes: { popovertarget: 'shown-dialog' } })}</p>
!${dialog({
      id: 'shown-dialog',
      heading: 'End the visit for everyone?',
      content: html`<p>Nobody can come back into it.</p>`,
      buttons: closeButton('shown-dialog') + button({ label: 'End the visit', kind: 'danger' }),
      isPopover: true,
    })}
<p>!${confirmedButton({ id: 'shown-question', label: 'Deactivate', kind: 'danger', question: 'Deactivate Bo Ek?', words: 'All of their sessions end now.', form: { action: '/design' } })}</p>
!${copyables([{ id: 'shown-text', term: 'client_id', text: '8b49907c-4725-463e-8deb-6e3f1146856e' }])}`,
  });
