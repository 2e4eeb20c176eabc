import { CONSENT_WAYS, type MonitoringConsent } from '../../../../domain/monitoring/monthly-billing/consents.ts';
import { writeMoment } from '../../../../http/trend-figures/words.ts';
import { card } from '../../../design/content/card.ts';
import { button } from '../../../design/forms/button.ts';
import { selectField, selectOptions } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';

interface ConsentCard {
  patientId: number;
  /** The newest entry. */
  consent: MonitoringConsent | null;
  timeZone: string;
}

const WAYS = { verbal: 'By word', written: 'In writing', electronic: 'Electronically' } as const;

/** The consent to monitoring, without which the ledger counts nothing, and the way to record it or its revocation now. */
export function consentCard({ patientId, consent, timeZone }: ConsentCard): string {
  const isInForce = consent !== null && !consent.revoked;
  const words =
    consent === null
      ? 'None is recorded. The ledger counts readings and reviews from the day of consent.'
      : `${consent.revoked ? 'Revoked' : 'Given'} ${writeMoment(consent.givenAt, timeZone)}, ${consent.how}, by ${consent.givenBy}.`;
  return card({
    title: 'Consent to monitoring',
    attributes: { id: 'consent' },
    content: html`<p><bdi>${words}</bdi></p>
<form class="search-form" method="post" action="/monitoring/patients/${patientId}/consent">
!${isInForce ? html`<input type="hidden" name="revoked" value="yes">` : ''}
!${selectField({ name: 'how', label: isInForce ? 'How it was revoked' : 'How it was given', options: selectOptions(CONSENT_WAYS.map((way) => ({ value: way, label: WAYS[way] }))) })}
!${button({ label: isInForce ? 'Record the revocation' : 'Record the consent', kind: 'plain' })}</form>`,
  });
}
