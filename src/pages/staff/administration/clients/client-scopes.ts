import { APP_SCOPES, CLIENT_SCOPES, SCOPES, type Scope } from '../../../../domain/identity/clients/client-scopes.ts';
import { icon } from '../../../design/content/icon.ts';
import { checkField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import type { FormState, FormValues } from '../../forms/form-state.ts';

const WORDS: Readonly<Record<Scope, string>> = {
  'integration.read': 'Integration API: read',
  'integration.write': 'Integration API: write',
  'practice.read': 'Practice API: read',
  'practice.write': 'Practice API: write',
  'practice.admin': 'Practice API: delete charts',
  'ssn.read': 'See whole social security numbers',
  'restricted.read': 'See restricted and blocked charts',
  'readings.write': 'Send readings of devices',
  'events.read': 'Follow the log of changes',
  'exports.read': 'Export all charts, appointments, texts, readings, visits and insurances',
  'webhooks.write': 'Receive changes with webhooks',
  'imports.read': 'See imports',
  'imports.write': 'Import records of another system',
  'agent.read': 'Assistants (MCP): find patients, times and what happened',
  'agent.write': 'Assistants (MCP): hold times, book, and send texts',
  mobile: 'Ask people for access to the mobile API: their daily work',
  'platform.read': 'Ask administrators to see the administration of the practice',
  'platform.manage': 'Ask administrators to change the administration of the practice',
};

/** The name of a scope's box: fields have an underscore for the point. */
const toBoxName = (scope: Scope): string => scope.replace('.', '_');

type Kind = 'machine' | 'app';
const listScopes = (kind: Kind): readonly Scope[] => (kind === 'app' ? APP_SCOPES : CLIENT_SCOPES);

/** The values of the boxes for a client with these scopes. */
export const scopeValues = (kind: Kind, held: readonly string[]): FormValues =>
  Object.fromEntries(listScopes(kind).map((scope) => [toBoxName(scope), held.includes(scope) ? 'yes' : '']));

export const noScopes = (): FormValues => scopeValues('machine', []);

export const scopesIn = (values: Readonly<Record<string, unknown>>): Scope[] =>
  SCOPES.filter((scope) => values[toBoxName(scope)] === 'yes');

const BOX = { yes: 'a checked box', '': 'an unchecked box' };

/** Words of the boxes, for a form whose record somebody else has changed. */
export const SCOPE_WORDS = Object.fromEntries(SCOPES.map((scope) => [toBoxName(scope), BOX]));

/** A box for each scope. A reason that is about all of them stands above, and the first box has the focus. */
export function scopeFields(form: FormState, kind: Kind): string {
  const { error, attributes } = form.field('scopes');
  const boxes = listScopes(kind).map((scope, index) => {
    const focus = index === 0 && attributes.autofocus ? { autofocus: true } : {};
    return checkField({ ...form.box(toBoxName(scope), focus), label: WORDS[scope] });
  });
  return html`
<fieldset class="choices"!${error === null ? '' : ' aria-describedby="scopes-error"'}><legend class="label">It may</legend>
!${error === null ? '' : html`<p class="field-error" id="scopes-error">!${icon('danger')}<span>${error}</span></p>`}
<div class="options">!${boxes.join('')}</div></fieldset>`;
}
