"""The schema of the store, one step at a time. A released step is never edited; a change is a new step.

The number of the last step is `core.store.database.SCHEMA_VERSION`. Where a store has it, this module is not imported.
"""

from core.store.sqlite_tools import Database, Migrations

migrations = Migrations("tonnage")


@migrations()
def step_1_scenarios_and_records(database: Database) -> None:
    database.table("scenarios").create(
        {
            "id": int,
            "name": str,
            "client": str,
            "position": float,  # order within the client; halfway between neighbours when dragged
            "created": str,  # ISO 8601, UTC
            "modified": str,
            "app_version": str,
            "method_version": str,
            "scenario": str,  # JSON of core.scenario.Scenario
        },
        pk="id",
        not_null={"name", "client", "position", "created", "modified", "scenario"},
        strict=True,
    )
    database.table("scenarios").create_index(["client", "position"])
    database.table("catalogue_records").create(
        {"table": str, "id": str, "modified": str, "record": str},
        pk=("table", "id"),
        not_null={"modified", "record"},
        strict=True,
    )
    database.table("state").create({"key": str, "value": str}, pk="key", strict=True)


@migrations()
def step_2_kept_figures(database: Database) -> None:
    """The catalogue records that scenarios were sized with, each kept once however many scenarios rest on it."""
    database.table("kept_records").create(
        {"key": str, "table": str, "id": str, "record": str},  # the key is a checksum of the other three
        pk="key",
        not_null={"table", "id", "record"},
        strict=True,
    )
    database.table("scenarios").add_column("kept", str)  # JSON list of keys; none: not kept yet
