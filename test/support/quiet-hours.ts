/** Quiet hours that have begun and go on for two hours at least, at any time of the day. @param timeZone of the practice */
export function quietNow(timeZone = 'America/New_York'): { quietHoursStart: string; quietHoursEnd: string } {
  const hour = Number(new Intl.DateTimeFormat('en-US', { hour: 'numeric', hourCycle: 'h23', timeZone }).format(new Date()));
  const clock = (of: number) => `${String((of + 24) % 24).padStart(2, '0')}:00`;
  return { quietHoursStart: clock(hour - 1), quietHoursEnd: clock(hour + 3) };
}
