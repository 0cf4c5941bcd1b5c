-- Two more purposes of signing keys: receipts of revocations, and responses of the policy feed.
alter table signing_keys
  drop constraint signing_keys_purpose_check,
  add constraint signing_keys_purpose_check
    check (purpose in ('embed_token', 'audit_anchor', 'receipt', 'policy_feed')),
  drop constraint signing_keys_private,
  add constraint signing_keys_private
    check (sealed_private is not null or purpose in ('audit_anchor', 'receipt'));

-- A receipt is verified long after it was signed, so the public half outlives its key by a year.
create policy kept_for_receipts on signing_keys as restrictive for delete to kr_worker
  using (purpose <> 'receipt' or ends_at <= app_now() - interval '365 days');
