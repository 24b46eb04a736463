"""The steps of one call, a file each; a stage is made once per tool and called per call."""
