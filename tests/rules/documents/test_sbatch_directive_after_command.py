from tests.rules.documents.found import paths

RULE = "sbatch-directive-after-command"


def test_every_directive_below_the_first_command_is_found():
    assert paths(RULE, "#!/bin/bash\n\n# words\n#SBATCH -N 2\nexport A=1\n#SBATCH -n 4\n#SBATCH -t 9\n") == [
        "[5]",
        "[6]",
    ]


def test_comments_and_empty_lines_between_directives_are_fine():
    assert (
        paths(
            RULE, "#!/bin/bash\n#SBATCH -N 2\n\n# SBATCH is read by Slurm\n#SBATCH -n 4\n##SBATCH -t 9\necho #SBATCH\n"
        )
        == []
    )
