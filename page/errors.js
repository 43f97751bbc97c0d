// SPDX-License-Identifier: Apache-2.0
// Failures. Inside, they are thrown; at the border they become {error: {code, message}}.

class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Ends the call with a wire name of err.def and words that say what was looked for and what was seen. */
const fail = (code, message) => {
  throw new Failure(code, message);
};

const asReply = (thrown) => {
  const code = thrown instanceof Failure ? thrown.code : 'internal_error';
  return { error: { code, message: cut(String(thrown?.message ?? thrown), 500) } };
};

/** A function for the daemon: whatever it throws, now or later, becomes a reply. */
const guarded = (work) => (...args) => {
  try {
    const value = work(...args);
    return value instanceof Promise ? value.catch(asReply) : value;
  } catch (thrown) {
    return asReply(thrown);
  }
};

/**
 * `/body/flags` as a regular expression; null if the text does not have that form. Paths can have it, too: whoever calls this looks for the
 * text itself first, unless its form leaves no doubt.
 */
const asPattern = (text) => {
  const match = /^\/(.+)\/([dgimsuvy]*)$/s.exec(text);
  if (!match || new Set(match[2]).size < match[2].length) {
    return null;
  }
  try {
    // A pattern that keeps its place between two tests would skip matches.
    return new RegExp(match[1], match[2].replace(/[gy]/g, ''));
  } catch (thrown) {
    return fail('invalid_params', `${cut(text, 80)} is not a valid regular expression: ${thrown.message}`);
  }
};
