/** Part of every text in the rows: its presence in a response to another organization is a leak. */
export const MARKER = 'Wqxzvy';

/** Columns with a format that their type does not express; `{id}` is the id of all rows. */
export const BY_HAND: Record<string, string> = {
  // A public client of a provider that no request reaches.
  'identity_provider.client_secret': 'NULL',
  'identity_provider.issuer': `'https://login.invalid'`,
  // A domain has one holder among all practices.
  'mail_domain.domain': `'{id}.example'`,
  // A file of no bytes, which lie nowhere.
  'attachment.byte_length': '0',
  'check_in.channel': `'sms'`,
  'external_message.channel': `'sms'`,
  'phone_number.kind': `'fax'`,
  // A file that arrives.
  'import_run.kind': `'patients'`,
  'import_run.state': `'receiving'`,
  'import_run.on_match': `'skip'`,
  'import_run.format': `'csv'`,
  'import_run.caller': `'{"actor":"client:a","userId":null,"role":null,"seesRestricted":false}'`,
  'import_report_row.row': `'{}'`,
  // Monitored, for a reason.
  'patient.flags': `'{RPM}'`,
  'tracked_condition.icd_code': `'I10'`,
  'patient.medical_record_no': `'{id}'`,
  'patient.merged_into_id': 'NULL',
  'patient_merge.undone_at': 'NULL',
  'provider.npi': `'{id}'`,
  'appointment_series.appointment_ids': `'{{id}}'`,
  'appointment.starts_at': `'2031-01-15T15:00:00Z'`,
  'appointment.ends_at': `'2031-01-15T15:30:00Z'`,
  'appointment.local_start': `'2031-01-15T10:00:00'`,
  'appointment_type.bookable_by': `'{staff,apps,patient}'`,
  'availability.bookable_by': `'{staff,apps,patient}'`,
  'availability.until_minute': '600',
  'availability_exception.from_local': `'2031-01-15T10:00:00'`,
  'availability_exception.until_local': `'2031-01-16T10:00:00'`,
  'slot.starts_at': `'2031-01-16T15:00:00Z'`,
  'slot.ends_at': `'2031-01-16T15:30:00Z'`,
  // A hold of who is signed in.
  'slot_claim.busy_from': `'2031-01-16T15:00:00Z'`,
  'slot_claim.busy_until': `'2031-01-16T15:30:00Z'`,
  'slot_claim.appointment_id': 'NULL',
  'slot_claim.holder': `'user:{id}'`,
  'scheduled_check_in.schedule_period': `'daily'`,
  'scheduled_check_in.schedule_time': `'09:00'`,
  'scheduled_check_in_recipient.channel': `'sms'`,
  'second_factor.kind': `'passkey'`,
  'second_factor.credential_id': `'\\x01'`,
  'second_factor.public_key': `'\\x01'`,
  'second_factor.counter': '1',
  'second_factor.secret': 'NULL',
  'sms_template.tracks_response': 'true',
  'sms_template_variant.language': `'es'`,
  'sms_template_variant.body': `'Hola {{first name}}'`,
  'survey_type.questions': `'[{"key":"it","kind":"text","text":"${MARKER}"}]'`,
  // A notice is for one person, a guest of a session here.
  'late_notice.waiting_room_visit_id': 'NULL',
  'user.privacy_officer': 'true',
  // Nobody's own, so that any user of the practice may let patients in.
  'waiting_room.user_id': 'NULL',
  'insurance.cancelled_on': 'NULL',
  'monitoring_alert.kind': `'danger_value'`,
  'monitoring_alert.severity': `'danger'`,
  'monitoring_alert.gravity': '3',
  'monitoring_alert.value': '1',
  // One that went at once.
  'visit_message.lead': 'NULL',
  'visit_message_rule.kind': `'booked'`,
  'webhook_delivery.payload': `'{"id":"evt_1","type":"item.updated","occurred_at":"2031-01-15T10:00:00Z","subject":{"type":"item","id":1},"changed":[],"actor":"${MARKER}","request_id":null}'`,
  'webhook_endpoint.client_id': 'NULL',
  'webhook_endpoint.deleted_at': 'NULL',
  'webhook_secret.expires_at': 'NULL',
  'webhook_secret.signing_key': 'NULL',
  // A link opens one thing, a session here.
  'session_invite.waiting_room_id': 'NULL',
};
