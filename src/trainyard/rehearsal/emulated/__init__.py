"""An AWS account on this machine: moto as a server on loopback, with CloudFormation and what else moto lacks added.

``server`` is the process, ``serving`` the account in it, ``emulated_account`` starts and stops it, and ``engine/`` is a
CloudFormation of our own. Moto's is not used: it skips types that it does not know, never rolls back, and cannot delete
half of what it makes.
https://github.com/getmoto/moto/tree/5.2.5/moto/cloudformation

Extensions are modules that are found by being in their folder, and import nothing of moto's ``cloudformation``:

- ``resource_types.yaml`` has the CloudFormation types that are one call to make and one to delete.
- ``resource_types/<service>.py`` has types that need more. ``RESOURCE_TYPES`` says by name what makes, deletes and,
  where that is possible, changes a resource through the account's own API: see ``ResourceType`` in ``resource.py``.
  Where a type is in neither, moto's model of it does it.
- ``apis/<service>.py`` is what moto lacks of a service. ``install()`` puts actions into moto's own response class; or
  ``SIGNING_NAME`` and ``RESPONSES``, a subclass of moto's ``BaseResponse``, answer a whole service that moto does not
  know; or ``HOST``, ``NAME`` and ``application`` answer whatever is sent to hosts of that pattern: a Grafana, or the
  API server of a cluster. ``inventory(account_id, region)``, where there is one, returns the names of what exists
  there, by kind.
"""
