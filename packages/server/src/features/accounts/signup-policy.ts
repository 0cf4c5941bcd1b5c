/**
 * Which addresses may sign up. `invited` means addresses with an open invitation to any workspace.
 */
export const signupPolicies = ['open', 'invited', 'off'] as const;

export type SignupPolicy = (typeof signupPolicies)[number];
