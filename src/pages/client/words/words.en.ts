const list = (names: string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;

/** The server's messages are in English. */
const english: FailureWords = {
  byCode: {
    appointment_cancelled: 'Your appointment was cancelled. If you still need a visit, please call the practice.',
    appointment_moved: 'Your appointment was moved to another time. If you do not know the new time, please call your practice.',
    refused:
      'Your practice knows that you are here, but cannot see you right now. You can try again in a few minutes, or call the practice.',
  },
  otherwise: null,
};

export const en = {
  list,
  screens: {
    waitingRoom: 'In the waiting room',
    alone: 'You are in the visit',
    together: (names: string[]) => `In the visit with ${list(names)}`,
    joining: 'Reconnecting you',
  },
  people: {
    practice: 'Your practice',
    guest: 'Guest',
    /** Of a person without a chart, who chose the name. */
    asGuest: (name: string) => `${name} (guest)`,
    you: 'You',
    /** Of the self-view, which is mirrored. */
    selfMirrored: 'You, mirrored',
    self: 'You, as the others see you',
    /** To a patient who is alone in the visit. */
    hostGone: (name: string) =>
      `${name} is not in the visit at the moment: they left or lost the connection. Please stay on this page; it continues automatically when they are back. If nobody comes within five minutes, call the practice.`,
    came: (names: string[]) => `${list(names)} joined.`,
    left: (names: string[]) => `${list(names)} left.`,
    kinds: { host: 'Host', colleague: 'Colleague', patient: 'Patient', guest: 'Guest, not a patient of the practice' },
    /** On the picture of a person: who is of the practice, and who only says who they are. */
    marks: { host: 'Host', colleague: 'Colleague', patient: '', guest: 'Guest' },
    remove: 'Remove',
    removeWho: (name: string) => `${name} will leave the visit, and must be admitted again to return.`,
    attach: 'Attach a chart',
    attachAnother: 'Attach another chart',
    attached: (name: string) => `The chart of ${name} is attached. Pictures and recordings of this person are saved there.`,
  },
  states: {
    muted: 'muted',
    cameraOff: 'camera off',
    sharing: 'shares the screen',
    connecting: 'connecting …',
    reconnecting: 'reconnecting …',
    poor: 'the connection is bad',
  },
  tools: {
    mute: 'Mute',
    unmute: 'Unmute',
    cameraOff: 'Camera off',
    cameraOn: 'Camera on',
    share: 'Share screen',
    stopSharing: 'Stop sharing',
    record: 'Record',
    stopRecording: 'Stop recording',
    lock: 'Lock',
    unlock: 'Unlock',
    picture: 'Picture',
    recordingOf: (name: string) => `Recording of ${name}`,
    pictureOf: (name: string) => `Picture of ${name}`,
    blur: 'Blur background',
    sharp: 'Show background',
  },
  pictures: {
    whosePicture: 'Whose picture is it?',
    whoseRecording: 'Whose recording is it?',
    choosePerson: 'Choose a person',
    nobody: 'Nobody is in the picture.',
    notYet: 'There is no picture yet.',
    failed: 'The browser could not take the picture.',
    kept: 'The picture was saved.',
    keptOf: (name: string) => `The picture of ${name} was saved.`,
    recordingKept: 'The recording was saved.',
    keeping: 'The recording is being saved …',
    waitForKeeping: 'Please keep this page open until the recording is saved.',
    cannotRecord: 'This browser cannot record. Please use another one.',
    unreachable: (what: 'images' | 'videos') =>
      `The ${what === 'images' ? 'picture' : 'recording'} could not be saved: the practice cannot be reached.`,
    refused: 'It could not be saved. Please try again.',
  },
  still: {
    asks: (site: string) => `Requested part of the body: ${site}`,
    asked: 'The picture was requested. You will be notified when it arrives.',
    taken: 'The requested picture is in the chart.',
    refused: 'The requested picture was not sent.',
    sent: 'Your picture was sent to your practice.',
    noCamera: 'The camera cannot be opened. You can press Not now and tell your practice.',
    sending: 'The picture is being sent …',
  },
  recording: {
    waits: (names: string[]) => `Recording starts when everybody has agreed. We are asking ${list(names)}.`,
    declined: (names: string[]) => `The visit is not recorded: ${list(names)} said no.`,
  },
  visits: {
    choose: (present: string[], name: string) =>
      `${list(present)} ${present.length > 1 ? 'are' : 'is'} in the visit. Admit ${name} with them, or begin the next visit? That sends ${list(present)} out.`,
    /** `left` are those who were seen in the visit last; none after a reload of the page. */
    chooseAfter: (left: string[], name: string) =>
      `${left.length === 0 ? 'Somebody' : list(left)} left less than a minute ago, and may come back. Admit ${name} with them, or begin the next visit?`,
  },
  socket: {
    lost: 'The connection was lost.',
    offline: 'You have no internet connection at the moment. This page continues automatically when it is back.',
    rejoining: (why: string) => `${why} Reconnecting you …`,
    unreachable: 'The practice cannot be reached.',
    protocol: 'The connection ended because of an error on this page. Reload it to join again.',
    otherWindow: 'This visit was opened in another window. Continue there.',
    left: 'You have left the visit.',
    failed: 'This did not work.',
  },
  over: {
    removed: 'You were removed from the visit',
    visit_over: 'Your visit has ended',
    ended: 'The visit has ended',
    refused: 'Not now',
    left: 'Goodbye',
    replaced: 'Open in another window',
    room_full: 'The visit is full',
    room_locked: 'The visit is locked',
    session_ended: 'The visit has ended',
    link_expired: 'This link has expired',
    link_withdrawn: 'This link was withdrawn',
    appointment_cancelled: 'Your appointment was cancelled',
    appointment_moved: 'Your appointment was moved',
  },
  waiting: {
    isWaiting: (names: string[]) => `${list(names)} ${names.length === 1 ? 'is' : 'are'} waiting.`,
    since: (time: string) => `since ${time}`,
    meets: (name: string) => `for ${name}`,
    devices: ({ camera, microphone }: { camera: boolean; microphone: boolean }): string => {
      if (camera && microphone) return 'camera and microphone work';
      if (camera) return 'no microphone';
      return microphone ? 'no camera' : 'no camera, no microphone';
    },
    admit: 'Admit',
    refuse: 'Not now',
    answered: 'answered: not now',
    notNow: 'Your practice knows that you are here, but cannot see you right now. You keep your place. If it is urgent, call the practice.',
    heading: (count: number) => (count === 0 ? 'No one is waiting' : count === 1 ? '1 person is waiting' : `${count} people are waiting`),
    /** In the question before the visit is ended for everyone. */
    still: (names: string[]) => `${list(names)} ${names.length === 1 ? 'is' : 'are'} still waiting and will not be seen.`,
    notSeen: 'You were not admitted. Please call your practice, or ask it for a new link.',
    late: (minutes: number) => `Your practice is running about ${minutes} minutes late. You keep your place.`,
    when: (text: string) => `, ${text}`,
  },
  chat: {
    head: (name: string, time: string) => `${name}, ${time}`,
    wrote: (name: string, text: string) => `${name} writes: ${text}`,
    unread: (count: number) => `Chat, ${count} unread`,
  },
  devices: {
    works: 'works',
    seen: 'You, mirrored. The others see you unmirrored.',
    checking: 'is being checked …',
    speak: 'Say something: the bar moves.',
    heard: 'working',
    notFound: 'not found',
    notAllowed: 'not allowed',
    inUse: 'is in use by another program',
    toneHint: 'Press to hear a tone',
    tonePlayed: 'If you heard nothing, turn up the sound.',
    noSound: 'This browser cannot play the tone.',
    network: { good: 'good', slow: 'slow; it may be interrupted', none: 'The practice cannot be reached.' },
    still: 'You can still join: you will see and hear the others.',
    noCameraOnly: 'The others will hear you, but not see you.',
    noMicrophoneOnly: 'The others will see you, but not hear you. You can write in the chat.',
    secureOnly: 'This browser allows camera and microphone only on secure pages (https).',
    none: 'No camera or microphone was found.',
    busy: (what: string) => `Your ${what} cannot be used: another program uses it. Close that program, then reload this page.`,
    missing: (what: string) => `No ${what} was found.`,
    denied: (what: string) => `The browser does not allow this page to use your ${what}.`,
    names: { both: 'camera and microphone', camera: 'camera', microphone: 'microphone' },
    allow: {
      ios: 'On the iPhone or iPad: open Settings, then your browser, allow camera and microphone, and reload this page.',
      safari: 'In Safari: open the menu Safari, then Settings for this website, allow camera and microphone, and reload this page.',
      android: 'In Chrome: tap the icon to the left of the address, then Permissions, allow both, and reload this page.',
      chrome: 'Click the icon to the left of the address, allow camera and microphone, and reload this page.',
      firefox: 'In Firefox: press the crossed-out camera to the left of the address, remove the block, and reload this page.',
      inApp: 'You opened the link inside another app. Open it in your usual browser instead: look for “Open in browser” in the menu.',
    },
  },
  /** Of a name that the server refuses. */
  nameRefused: (message: string) => message.replace(/^name: /, 'Your name '),
  failures: english,
};

/** By the codes of the server's failures and `closing` messages. */
interface FailureWords {
  byCode: Partial<Record<string, string>>;
  /** Of any other code; null for the server's own message, which is in English. */
  otherwise: string | null;
}

export type Words = typeof en;
